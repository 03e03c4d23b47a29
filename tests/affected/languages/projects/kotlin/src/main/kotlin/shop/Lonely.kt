package shop

object Lonely
