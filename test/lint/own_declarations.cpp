// A plugin of clang-tidy, which ./dev builds. The check
// libpool-own-declarations restricts all other checks to declarations outside
// of system headers. Checks report nothing about system headers anyway, but
// visit each declaration in them: that took two thirds of the time.

#include <clang-tidy/ClangTidyCheck.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang-tidy/ClangTidyModuleRegistry.h>
#include <clang/AST/ASTContext.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>

#include <vector>

namespace {

using clang::ast_matchers::MatchFinder;
using clang::tidy::ClangTidyCheck;
using clang::tidy::ClangTidyCheckFactories;
using clang::tidy::ClangTidyModule;
using clang::tidy::ClangTidyModuleRegistry;

class own_declarations : public ClangTidyCheck {
public:
  using ClangTidyCheck::ClangTidyCheck;

  void registerMatchers(MatchFinder* finder) override {
    finder->addMatcher(clang::ast_matchers::translationUnitDecl().bind("unit"),
                       this);
  }

  /// Called before any declaration of the unit is visited.
  void check(const MatchFinder::MatchResult& found) override {
    const auto& sources = *found.SourceManager;
    std::vector<clang::Decl*> own;
    for (auto* each : found.Context->getTranslationUnitDecl()->decls()) {
      auto where = sources.getExpansionLoc(each->getLocation());
      if (where.isValid() && !sources.isInSystemHeader(where))
        own.push_back(each);
    }
    found.Context->setTraversalScope(own);
  }
};

class module : public ClangTidyModule {
public:
  void addCheckFactories(ClangTidyCheckFactories& checks) override {
    checks.registerCheck<own_declarations>("libpool-own-declarations");
  }
};

const ClangTidyModuleRegistry::Add<module> added{"libpool", ""};

} // namespace
