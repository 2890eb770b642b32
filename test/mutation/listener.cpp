// Linked to each test program of the copied tree. Appends the begin and the
// outcome of each case to the log:
//
//     case FILE NAME
//     end ok|failed SECONDS

#include "switch.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

using libpool::mutation::switchboard;

class case_listener : public doctest::IReporter {
public:
  explicit case_listener(const doctest::ContextOptions&) {}

  void test_case_start(const doctest::TestCaseData& it) override {
    switchboard::instance().begin_case();
    switchboard::instance().write("case\t" + std::string{it.m_file.c_str()}
                                  + '\t' + it.m_name + '\n');
  }

  void test_case_end(const doctest::CurrentTestCaseStats& it) override {
    switchboard::instance().write(std::string{"end\t"}
                                  + (it.testCaseSuccess ? "ok" : "failed")
                                  + '\t' + std::to_string(it.seconds) + '\n');
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

} // namespace

REGISTER_LISTENER("mutation", 1, case_listener);
