class Lonely
end
