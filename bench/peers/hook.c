/* The floor of any started hook: it reads its payload, looks for the words, answers. */
#include <string.h>
#include <unistd.h>

static char payload[1 << 20];

int main(void) {
    size_t length = 0;
    ssize_t got;
    while (length < sizeof payload - 1 && (got = read(0, payload + length, sizeof payload - 1 - length)) > 0)
        length += (size_t)got;
    if (strstr(payload, "push --force")) {
        static const char answer[] =
            "{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"deny\", "
            "\"permissionDecisionReason\": \"Force-push is not allowed in this repository.\"}}\n";
        return write(1, answer, sizeof answer - 1) < 0;
    }
    return 0;
}
