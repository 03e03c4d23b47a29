"""What a shell command changes, told by its words, however they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookwright.shell_changes import changed_by, runs

NAMES = (".hookwright", ".hookwright.yaml", ".claude/settings.json")
FOLDERS = (".claude",)


@pytest.mark.parametrize(
    "command",
    [
        "echo x#; rm .hookwright.yaml",  # no comment: it stands in a word
        "# tidy up\nrm .hookwright.yaml",
        "cat <<'EOF'\ndon't\nEOF\nrm .hookwright.yaml",
        "cat <<'EOF'\nx\\\nEOF\nrm .hookwright.yaml",
        "cat <<-EOF\n\tx\n\tEOF\nrm .hookwright.yaml",
        "bash <<EOF\nrm .hookwright.yaml\nEOF",
        "cat <<EOF | sh\nrm .hookwright.yaml\nEOF",
        'rm .ho""okwright.yaml',
        "rm .ho\\okwright.yaml",
        "rm .hookw\\\nright.yaml",
        "rm $'.hookwrigh\\x74.yaml'",
        "rm .HookWright.yaml",
        "rm -rf {.hookwright,x}",
        "rm .hookw{right,x}.yaml",
        "rm .hook${NOTHING}wright.yaml",
        "find . -name '*hookwright*' -delete",
        "sed -Ei s/a/b/ .hookwright.yaml",
        "sed -n --in-place p .hookwright.yaml",
        "sed -n 'w .hookwright.yaml' x",
        "yq -i .a=1 .hookwright.yaml",
        "less -o .hookwright.yaml x",
        "rg --pre ./x y .hookwright.yaml",
        "git diff --output=.hookwright.yaml",
        "git log --outp .hookwright.yaml",
        "git -c core.pager=x diff .hookwright.yaml",
        "git -C . stash push .hookwright.yaml",
        "git apply --directory=.hookwright x.patch",
        "echo x > >(tee .hookwright.yaml)",
        "echo;>.hookwright.yaml",
        "true&&>.hookwright.yaml",
        "echo x >&.hookwright.yaml",
        "echo x &>> .hookwright.yaml",
        "echo x >| .hookwright.yaml",
        "cat 1<>.hookwright.yaml",
        "ls .hookwright.yaml | xargs -n 1 rm",
        "ls .hookwright | while read f; do rm $f; done",
        "echo 'rm .hookwright.yaml' | sh",
        'echo \'open(".hookwright.yaml", "w")\' | python3 -',
        "test -f .hookwright.yaml && rm $_",
        "f=$(ls .hookwright.yaml; true); rm $f",
        "rm $(echo -n) echo .hookwright.yaml",
        "echo `rm .hookwright.yaml`",
        'echo "$(rm .hookwright.yaml)"',
        "install x .hookwright.yaml",
        "rsync x .hookwright.yaml",
        "ln -sf x .hookwright.yaml",
        "dd of=.hookwright.yaml",
        "! time rm .hookwright.yaml",
        "a=b rm .hookwright.yaml",
        "rm -rf .claude",
        "rm .claude/*",
        "mv .claude/ x",
        "cp -r x/. .claude",
        "git checkout .claude",
        "(" * 200 + "rm .hookwright.yaml" + ")" * 200,
        "$(" * 900 + "rm .hookwright.yaml" + ")" * 900,
    ],
)
def test_what_may_change_a_file_is_seen(command):
    """Quotes, comments, here-documents, pipes and brackets hide nothing that stands there in words."""
    assert changed_by(command, NAMES, FOLDERS)


@pytest.mark.parametrize(
    "command",
    [
        "cat .hookwright.yaml # rm it later",
        "if [ -f .hookwright.yaml ]; then echo yes; fi",
        "cat > notes.md <<'EOF'\nIt's in .hookwright.yaml; rm it\nEOF\nls",
        "git commit -F - <<'EOF'\nChange .hookwright.yaml\nEOF",
        "git -C . --no-pager diff .hookwright.yaml",
        "ls .hookwright | xargs -n 1 cat",
        "cat .hookwright.yaml | python3 -m json.tool",
        "cat .hookwright.yaml 2>&1 | head > /tmp/x",
        "find .hookwright -name '*.py'",
        "diff <(git show HEAD:.hookwright.yaml) .hookwright.yaml",
        "sed -n '1,5p' .hookwright.yaml",
        "mkdir -p .claude/agents && cp a.md .claude/agents/",
        "ls .claude; cd .claude",
        "rm -rf build/* dist",
    ],
)
def test_what_only_looks_is_free(command):
    """Whoever reads, or speaks of a file elsewhere, is not in anybody's way."""
    assert changed_by(command, NAMES, FOLDERS) == ""


@given(st.text(alphabet="ab.$(){}<>|&;'\"`\\\n #=", max_size=60))
def test_no_command_is_too_odd(text):
    """Any text is judged without a failure: one would let the command pass."""
    changed_by(text, NAMES, FOLDERS)


@given(st.text(alphabet="ab .\n#-", max_size=30))
def test_a_command_on_a_line_of_its_own_is_seen_whatever_stands_before(text):
    """Comments and other commands do not cover the next line."""
    assert changed_by(f"{text}\nrm .hookwright.yaml", NAMES)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ('hookwright "uninstall"', True),
        ("x=1 /usr/bin/hookwright --verbose trust --yes", True),
        ("python -m hookwright trust", True),
        ("claude plugin disable hookwright@market", True),
        ("hookwright check", False),
        ("grep -rn hookwright trust", False),
    ],
)
def test_our_own_verbs_are_known_by_their_words(command, expected):
    """Whatever quotes and options stand between."""
    assert runs(command, "hookwright", ("uninstall", "trust")) is expected
