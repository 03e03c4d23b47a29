<?php

namespace Shop;

final class Lonely
{
}
