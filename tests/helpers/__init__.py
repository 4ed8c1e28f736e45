"""What the tests of several folders use. The helpers of one folder lie in that folder."""
