"""What is made of figures for people to look at."""
