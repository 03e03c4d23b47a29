"""The words of a conversation: what a prompt asks of a run. Any other prompt is nobody's business here."""

ALONE = {
    "next": "next",
    "n": "next",
    "skip": "skip",
    "s": "skip",
    "abort": "abort",
    "a": "abort",
    "status": "status",
    "report": "report",
    "vars": "vars",
    "retry": "retry",
    "help": "help",
    "?": "help",
    "validate": "validate",
    "v": "validate",
}
WITH_TEXT = {
    "validate": "validate",
    "v": "validate",
    "/run-tests": "run-tests",
    "/hookwright:run-tests": "drive-tests",  # the plugin's own command: it drives itself, whatever the config says
}
OURS = "Execute the following test:"  # how an instruction of ours begins, in the documents' words
BEGINNING = ("run-tests", "drive-tests")
WITHOUT_A_RUN = (*BEGINNING, "report")
READING = ("status", "report", "vars", "help")
LONGEST = max(map(len, WITH_TEXT))


def read(prompt: str) -> tuple[str, str]:
    """(word, the text after it), or ("", "") for a prompt that is none: case and blanks around it do not count."""
    prompt = prompt.strip()
    if len(prompt) <= LONGEST and prompt.lower() in ALONE:
        return ALONE[prompt.lower()], ""
    head = prompt[: LONGEST + 1].split(None, 1)[0].lower() if prompt else ""
    if head in WITH_TEXT:
        return WITH_TEXT[head], prompt[len(head) :].strip()
    return "", ""
