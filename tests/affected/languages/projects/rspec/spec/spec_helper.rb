# nothing to set up
