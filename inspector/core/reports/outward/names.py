"""What a person may choose of an outward report, named before anything of it is imported."""

SUFFIXES = {
    "text": ".txt",
    "json": ".json",
    "markdown": ".md",
    "html": ".html",
    "sarif": ".sarif",
    "junit": ".xml",
    "github": ".txt",
}
FORMS = tuple(SUFFIXES)
LANGUAGES = ("en", "zh")
SYSTEMS = ("linux", "macos", "windows")
