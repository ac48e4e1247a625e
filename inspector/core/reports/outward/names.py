"""What a person may choose of an outward report, named before anything of it is imported."""

FORMAT_SUFFIXES = {
    "text": ".txt",
    "json": ".json",
    "markdown": ".md",
    "html": ".html",
    "sarif": ".sarif",
    "junit": ".xml",
    "github": ".txt",
}
REPORT_FORMATS = tuple(FORMAT_SUFFIXES)
LANGUAGES = ("en", "zh")
OPERATING_SYSTEMS = ("linux", "macos", "windows")
