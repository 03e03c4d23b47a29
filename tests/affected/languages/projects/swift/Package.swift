// swift-tools-version:5.9
import PackageDescription

let package = Package(
    name: "Shop",
    targets: [
        .target(name: "Price"),
        .target(name: "Cart", dependencies: ["Price"]),
        .target(name: "Till", dependencies: ["Cart"]),
        .testTarget(name: "CartTests", dependencies: ["Cart"]),
        .testTarget(name: "TillTests", dependencies: ["Till"]),
    ]
)
