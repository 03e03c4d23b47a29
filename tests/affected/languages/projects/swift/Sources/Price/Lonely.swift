struct Lonely {}
