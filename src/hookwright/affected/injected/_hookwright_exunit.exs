# Loaded into the user's mix for one run: a formatter of ExUnit that writes one line per test. Elixir has JSON only
# since 1.18, so a line is a word and four fields in base 64: name, file, line, message.
defmodule Hookwright.Formatter do
  use GenServer

  def init(_options) do
    {:ok, %{output: File.open!(System.fetch_env!("HOOKWRIGHT_EXUNIT_REPORT"), [:write]), failed: 0}}
  end

  def handle_cast({:test_finished, test}, state), do: {:noreply, told(test, state)}

  def handle_cast({:suite_finished, _}, state), do: ended(state)
  def handle_cast({:suite_finished, _, _}, state), do: ended(state)
  def handle_cast(_event, state), do: {:noreply, state}

  defp ended(state) do
    IO.binwrite(state.output, "end\n")
    {:noreply, state}
  end

  defp told(%{state: nil} = test, state), do: write("passed", test, test.tags.line, "", state)
  defp told(%{state: {:skipped, why}} = test, state), do: write("skipped", test, test.tags.line, text(why), state)
  defp told(%{state: {:excluded, why}} = test, state), do: write("skipped", test, test.tags.line, text(why), state)

  defp told(%{state: {:failed, failures}} = test, state) do
    write("failed", test, line(failures, test), message(failures, test, state), state)
  end

  defp told(%{state: {:invalid, %{state: {:failed, failures}}}} = test, state) do
    write("failed", test, line(failures, test), "setup_all: " <> message(failures, test, state), state)
  end

  defp told(test, state), do: write("failed", test, test.tags.line, inspect(test.state), state)

  defp write(how, test, line, said, state) do
    file = Path.relative_to_cwd(test.tags.file)
    name = "#{file}:#{test.tags.line} #{test.name}"
    fields = for field <- [name, file, "#{line}", said], do: Base.encode64(field)
    IO.binwrite(state.output, Enum.join([how | fields], " ") <> "\n")
    state
  end

  # The place in the test's own file, where the trace has one.
  defp line(failures, test) do
    places =
      for {_, _, trace} <- failures, {_, _, _, place} <- trace, to_string(place[:file]) != "", do: place

    own = Enum.find(places, &String.ends_with?(test.tags.file, to_string(&1[:file])))
    (own && own[:line]) || test.tags.line
  end

  defp message([{kind, reason, _} | _], _test, _state) do
    case reason do
      %ExUnit.AssertionError{} = error -> assertion(error)
      _ -> Exception.format_banner(kind, reason)
    end
  end

  defp message(_, _, _), do: ""

  defp assertion(error) do
    said = for {name, value} <- [left: error.left, right: error.right], value != ExUnit.AssertionError.no_value() do
      "#{name}: #{inspect(value)}"
    end

    Enum.join([error.message, code(error.expr) | said], "\n")
  end

  defp code(expr), do: if(expr == ExUnit.AssertionError.no_value(), do: "", else: Macro.to_string(expr))
  defp text(why), do: if(is_binary(why), do: why, else: inspect(why))
end
