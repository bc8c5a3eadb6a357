"""What the tests of the SIMT model's instructions share: lanes, expectations and cases."""
