class Lonely {}
