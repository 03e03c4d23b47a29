<?php

// What composer would write into vendor/.
spl_autoload_register(function (string $name): void {
    if (str_starts_with($name, 'Shop\\')) {
        require __DIR__ . '/../src/' . substr($name, strlen('Shop\\')) . '.php';
    }
});
