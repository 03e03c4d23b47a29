"""hookwright: the hook runtime for coding agents.

The public names are found on first use, so that starting a hook imports none of them.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookwright.handlers import on as on
    from hookwright.reply import (
        Reply as Reply,
    )
    from hookwright.reply import (
        allow as allow,
    )
    from hookwright.reply import (
        answer as answer,
    )
    from hookwright.reply import (
        ask as ask,
    )
    from hookwright.reply import (
        block as block,
    )
    from hookwright.reply import (
        context as context,
    )
    from hookwright.reply import (
        defer as defer,
    )
    from hookwright.reply import (
        deny as deny,
    )
    from hookwright.reply import (
        halt as halt,
    )
    from hookwright.reply import (
        keep_working as keep_working,
    )
    from hookwright.reply import (
        permission as permission,
    )
    from hookwright.reply import (
        reject_task as reject_task,
    )
    from hookwright.reply import (
        rewrite as rewrite,
    )
    from hookwright.reply import (
        tell_user as tell_user,
    )

__version__ = "0.1.0"

_ANSWERS = "Reply allow answer ask block context defer deny halt keep_working permission reject_task rewrite tell_user"
__all__ = ["__version__", "on", *_ANSWERS.split()]  # noqa: PLE0604 - the names are in the line above


def __getattr__(name: str) -> object:
    if name == "on":
        from hookwright.handlers import on

        return on
    if name in __all__:
        from hookwright import reply

        return getattr(reply, name)
    raise AttributeError(f"module 'hookwright' has no attribute {name!r}")
