package shop

class Cart(private val nets: List<Int>) {
    fun total() = nets.sumOf { gross(it) }
}
