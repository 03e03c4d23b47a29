# Loaded into the user's mix for one run: a formatter of ExUnit that writes one line per test. Elixir has JSON only
# since 1.18, so a line is a word and four fields in base 64: name, file, line, message.
defmodule Hookwright.Formatter do
  use GenServer

  def init(_options) do
    # To append: at the top of an umbrella each application has a run of its own.
    {:ok, File.open!(System.fetch_env!("HOOKWRIGHT_EXUNIT_REPORT"), [:append])}
  end

  def handle_cast({:test_finished, test}, output), do: tell(output, line(test))
  def handle_cast({:suite_finished, _}, output), do: tell(output, "end")
  def handle_cast({:suite_finished, _, _}, output), do: tell(output, "end")
  def handle_cast(_event, output), do: {:noreply, output}

  defp tell(output, line) do
    IO.binwrite(output, line <> "\n")
    {:noreply, output}
  end

  defp line(%{state: nil} = test), do: fields("passed", test, test.tags.line, "")
  defp line(%{state: {:skipped, why}} = test), do: fields("skipped", test, test.tags.line, text(why))
  defp line(%{state: {:excluded, why}} = test), do: fields("skipped", test, test.tags.line, text(why))
  defp line(%{state: {:failed, failures}} = test), do: fields("failed", test, place(failures, test), said(failures))

  defp line(%{state: {:invalid, %{state: {:failed, failures}}}} = test) do
    fields("failed", test, place(failures, test), "setup_all: " <> said(failures))
  end

  defp line(test), do: fields("failed", test, test.tags.line, inspect(test.state))

  defp fields(how, test, line, said) do
    file = Path.relative_to_cwd(test.tags.file)
    name = "#{file}:#{test.tags.line} #{test.name}"
    Enum.join([how | Enum.map([name, file, "#{line}", said], &Base.encode64/1)], " ")
  end

  # The line in the test's own file, where the trace has one.
  defp place(failures, test) do
    places = for {_, _, trace} <- failures, {_, _, _, place} <- trace, place[:file], do: place
    own = Enum.find(places, &String.ends_with?(test.tags.file, to_string(&1[:file])))
    (own && own[:line]) || test.tags.line
  end

  defp said([{_, %ExUnit.AssertionError{} = error, _} | _]), do: assertion(error)
  defp said([{kind, reason, _} | _]), do: Exception.format_banner(kind, reason)
  defp said(_), do: ""

  defp assertion(error) do
    said = for {name, value} <- [left: error.left, right: error.right], value != ExUnit.AssertionError.no_value() do
      "#{name}: #{inspect(value)}"
    end

    Enum.join([error.message, code(error.expr) | said], "\n")
  end

  defp code(expr), do: if(expr == ExUnit.AssertionError.no_value(), do: "", else: Macro.to_string(expr))
  defp text(why), do: if(is_binary(why), do: why, else: inspect(why))
end
