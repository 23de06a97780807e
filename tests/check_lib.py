"""What the checks of this folder share: counting what holds, printed as "ok" and "FAIL" lines."""


class Checks:
    def __init__(self, quiet=False):
        """quiet: only what does not hold is printed."""
        self.passed = self.failed = 0
        self.quiet = quiet

    def hold(self, good, what, why=""):
        if good:
            self.passed += 1
            if not self.quiet:
                print("ok   " + what)
        else:
            self.failed += 1
            print("FAIL " + what + (": " + str(why)[:400] if why else ""))
        return good
