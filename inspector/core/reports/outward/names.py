"""What a person may choose of an outward report, named before anything of it is imported."""

FORMS = ("text", "json", "markdown", "html", "sarif", "junit", "github")
LANGUAGES = ("en", "zh")
