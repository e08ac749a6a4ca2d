"""The fast door: `--version`, `search`, `inject`, `run`, `hook` and `mcp proxy` need no more
than the standard library.

Whatever this door does not understand, help and mistakes included, goes on to the
full command line, which knows the same options (tests/cli/test_fast_door.py holds
the two together).
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Entry point of the `hindsight` command."""
    argv = sys.argv[1:]
    if argv == ["--version"]:
        from hindsight_cli import __version__

        sys.stdout.write(f"hindsight {__version__}\n")
        return
    if argv[:1] == ["hook"] and "--help" not in argv:
        from hindsight_cli.cli.hooking import run_hook

        # An agent waits, and nothing of ours needs to be taken down in order.
        os._exit(run_hook(argv[1:]))
    if argv[:2] == ["mcp", "proxy"]:
        from hindsight_cli.cli.proxying import try_proxy

        code = try_proxy(argv[2:])
        if code is not None:
            raise SystemExit(code)
    if argv and argv[0] in ("search", "inject", "run"):
        from hindsight_cli.cli.fast import try_fast

        code = try_fast(argv)
        if code is not None:
            raise SystemExit(code)
    from hindsight_cli.cli.app import run

    raise SystemExit(run(argv))


if __name__ == "__main__":
    main()
