"""What the checks of this folder share: counting what holds, printed as "ok" and "FAIL" lines."""


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def hold(self, good, what, why=""):
        if good:
            self.passed += 1
            print("ok   " + what)
        else:
            self.failed += 1
            print("FAIL " + what + (": " + str(why) if why else ""))
        return good
