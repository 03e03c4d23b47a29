import Testing
import Till

@Test func takesMoney() {
    #expect(Till.pay(2) == 4)
}
