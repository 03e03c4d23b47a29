# Started in the user's ruby: loads files of minitest and writes one line of JSON per test, for this run only.
require "json"
require "minitest/autorun"

module Hookwright
  report, *FILES = ARGV
  OUTPUT = File.open(report, "w")
  OUTPUT.sync = true
  ARGV.clear # minitest reads its options there

  def self.tell(**fields)
    OUTPUT.puts(JSON.generate(fields.transform_values { |value| value.is_a?(String) ? utf8(value) : value }))
  end

  # Whatever the locale says: paths and messages are bytes that are UTF-8 nearly always.
  def self.utf8(text)
    text.dup.force_encoding("UTF-8").scrub
  end

  def self.place(location)
    file, line = utf8(location.to_s).match(/\A(.*):(\d+)/)&.captures
    { file: file.to_s, line: line.to_i }
  end

  class Reporter < Minitest::AbstractReporter
    def start
      Hookwright.tell(how: "begin", tests: Minitest::Runnable.runnables.sum { |each| each.runnable_methods.size })
    end

    def record(result)
      file = Hookwright.utf8(result.source_location.first.to_s).delete_prefix("#{Hookwright.utf8(Dir.pwd)}/")
      fault = result.failure
      how = fault.nil? ? "passed" : result.skipped? ? "skipped" : "failed"
      told = fault ? { said: fault.message, **Hookwright.place(fault.location) } : {}
      Hookwright.tell(how: how, test: "#{file}::#{Hookwright.utf8("#{result.klass}##{result.name}")}", **told)
    end

    def report
      Hookwright.tell(how: "end")
    end
  end

  def self.load_all
    FILES.each do |file|
      require File.expand_path(file)
    rescue Exception => error # also SyntaxError and LoadError: whatever it is, the file could not be loaded
      raise if error.is_a?(SystemExit) || error.is_a?(SignalException)

      said = utf8(error.message)
      own = said[/\A\S.*?\.rb:\d+/] || error.backtrace&.find { |line| utf8(line).start_with?(utf8(Dir.pwd)) } || file
      tell(how: "unloaded", test: file, said: "#{error.class}: #{said}", **place(own))
      exit!(1)
    end
  end
end

Minitest.extensions << "hookwright"
def Minitest.plugin_hookwright_init(_options)
  reporter << Hookwright::Reporter.new
end

Hookwright.load_all
