// A plugin of clang-tidy, which `./dev mutants` builds. The check
// libpool-mutation-sites prints one line per possible mutant:
//
//     file line begin end left_end right_begin operator replacement
//
// separated by tabs. Positions are bytes of the file. The operator stands
// between two operands, [begin, left_end) and [right_begin, end); a change of a
// whole expression has none, and says "negate", "+1" or "-1".

#include <clang-tidy/ClangTidyCheck.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang-tidy/ClangTidyModuleRegistry.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>
#include <clang/Lex/Lexer.h>

#include <map>
#include <string>

namespace {

using namespace clang;

const std::map<std::string, std::string> replacements{
  {"<", "<="},  {"<=", "<"},  {">", ">="},  {">=", ">"},
  {"==", "!="}, {"!=", "=="}, {"&&", "||"}, {"||", "&&"},
  {"+", "-"},   {"-", "+"},   {"+=", "-="}, {"-=", "+="}};

/// Visits bodies of functions and prints the possible mutants in them.
class site_printer : public RecursiveASTVisitor<site_printer> {
public:
  explicit site_printer(ASTContext& context)
    : sources_(context.getSourceManager()), options_(context.getLangOpts()) {}

  bool TraverseStmt(Stmt* it, DataRecursionQueue* queue = nullptr) {
    // The operand of such a literal is a part of a token.
    if (it && isa<UserDefinedLiteral>(it))
      return true;
    return RecursiveASTVisitor::TraverseStmt(it, queue);
  }

  bool TraverseVarDecl(VarDecl* it) {
    return it->isConstexpr() || RecursiveASTVisitor::TraverseVarDecl(it);
  }

  bool TraverseFieldDecl(FieldDecl*) {
    return true; // a default value is not in a function
  }

  bool TraverseParmVarDecl(ParmVarDecl*) {
    return true; // a default argument is not either
  }

  bool TraverseTypeLoc(TypeLoc) {
    return true;
  }

  bool TraverseTemplateArgumentLoc(const TemplateArgumentLoc&) {
    return true;
  }

  bool TraverseStaticAssertDecl(StaticAssertDecl*) {
    return true;
  }

  bool TraverseCXXNoexceptExpr(CXXNoexceptExpr*) {
    return true;
  }

  bool TraverseCaseStmt(CaseStmt* it) {
    return TraverseStmt(it->getSubStmt());
  }

  bool VisitBinaryOperator(BinaryOperator* it) {
    print_operator(it, it->getLHS(), it->getRHS(), it->getOpcodeStr());
    return true;
  }

  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr* it) {
    if (it->getNumArgs() == 2 && !measures_distance(it))
      print_operator(it, it->getArg(0), it->getArg(1),
                     getOperatorSpelling(it->getOperator()));
    return true;
  }

  bool VisitIfStmt(IfStmt* it) {
    if (!it->isConstexpr() && !it->hasVarStorage())
      print_negation(it->getCond());
    return true;
  }

  bool VisitWhileStmt(WhileStmt* it) {
    if (!it->hasVarStorage())
      print_negation(it->getCond());
    return true;
  }

  bool VisitDoStmt(DoStmt* it) {
    print_negation(it->getCond());
    return true;
  }

  bool VisitForStmt(ForStmt* it) {
    if (!it->getConditionVariable())
      print_negation(it->getCond());
    return true;
  }

  bool VisitConditionalOperator(ConditionalOperator* it) {
    print_negation(it->getCond());
    return true;
  }

  bool VisitReturnStmt(ReturnStmt* it) {
    auto* value = it->getRetValue();
    if (value && !value->isTypeDependent()
        && value->IgnoreImplicit()->getType()->isBooleanType())
      print_negation(value);
    return true;
  }

  bool VisitIntegerLiteral(IntegerLiteral* it) {
    print(it, "-", "-", "", "+1");
    if (it->getValue() != 0)
      print(it, "-", "-", "", "-1");
    return true;
  }

private:
  /// Whether this is the difference of two instants or positions, which cannot
  /// be added.
  static bool measures_distance(CXXOperatorCallExpr* it) {
    auto plain = [](Expr* it) {
      return it->getType()
        .getNonReferenceType()
        .getCanonicalType()
        .getUnqualifiedType();
    };
    return it->getOperator() == OO_Minus && !it->isTypeDependent()
           && plain(it) != plain(it->getArg(0));
  }

  /// Whether an operand is a text, which has a + and no -.
  static bool adds_texts(Expr* left, Expr* right) {
    auto is_text = [](Expr* it) {
      auto type = it->getType().getCanonicalType().getAsString();
      return type.find("char") != std::string::npos
             || type.find("basic_string") != std::string::npos;
    };
    return is_text(left) || is_text(right);
  }

  void print_operator(Expr* all, Expr* left, Expr* right, StringRef name) {
    auto found = replacements.find(name.str());
    if (found == replacements.end()
        || (name.find_first_of("+-") == 0 && adds_texts(left, right)))
      return;
    auto left_end = end_of(left);
    auto right_begin = right->getBeginLoc();
    if (left_end.isValid() && left_end.isFileID() && right_begin.isFileID())
      print(all, std::to_string(sources_.getFileOffset(left_end)),
            std::to_string(sources_.getFileOffset(right_begin)), name,
            found->second);
  }

  /// Does not print an equality: its operator is changed already.
  void print_negation(Expr* condition) {
    if (!condition)
      return;
    auto* bare = condition->IgnoreParenImpCasts();
    auto* binary = dyn_cast<BinaryOperator>(bare);
    auto* call = dyn_cast<CXXOperatorCallExpr>(bare);
    if ((binary && binary->isEqualityOp())
        || (call
            && (call->getOperator() == OO_EqualEqual
                || call->getOperator() == OO_ExclaimEqual)))
      return;
    print(condition, "-", "-", "", "negate");
  }

  void print(Expr* all, StringRef left_end, StringRef right_begin,
             StringRef name, StringRef change) {
    auto begin = all->getBeginLoc();
    auto end = end_of(all);
    if (begin.isInvalid() || end.isInvalid() || begin.isMacroID()
        || end.isMacroID() || sources_.isInSystemHeader(begin)
        || sources_.getFileID(begin) != sources_.getFileID(end))
      return;
    const auto* file = sources_.getFileEntryForID(sources_.getFileID(begin));
    if (!file)
      return;
    llvm::outs() << file->tryGetRealPathName() << '\t'
                 << sources_.getSpellingLineNumber(begin) << '\t'
                 << sources_.getFileOffset(begin) << '\t'
                 << sources_.getFileOffset(end) << '\t' << left_end << '\t'
                 << right_begin << '\t' << name << '\t' << change << '\n';
  }

  SourceLocation end_of(Expr* it) {
    return Lexer::getLocForEndOfToken(it->getEndLoc(), 0, sources_, options_);
  }

  const SourceManager& sources_;
  const LangOptions& options_;
};

/// Visits functions, and has a site_printer visit their bodies.
class function_finder : public RecursiveASTVisitor<function_finder> {
public:
  explicit function_finder(ASTContext& context) : printer_(context) {}

  bool VisitFunctionDecl(FunctionDecl* it) {
    if (auto* constructor = dyn_cast<CXXConstructorDecl>(it))
      for (auto* each : constructor->inits())
        if (each->isWritten())
          printer_.TraverseStmt(each->getInit());
    if (it->doesThisDeclarationHaveABody())
      printer_.TraverseStmt(it->getBody());
    return true;
  }

private:
  site_printer printer_;
};

class mutation_sites : public tidy::ClangTidyCheck {
public:
  using ClangTidyCheck::ClangTidyCheck;

  void registerMatchers(ast_matchers::MatchFinder* finder) override {
    finder->addMatcher(ast_matchers::translationUnitDecl().bind("unit"), this);
  }

  void check(const ast_matchers::MatchFinder::MatchResult& found) override {
    function_finder finder{*found.Context};
    for (auto* each : found.Context->getTranslationUnitDecl()->decls())
      if (!found.SourceManager->isInSystemHeader(
            found.SourceManager->getExpansionLoc(each->getLocation())))
        finder.TraverseDecl(each);
  }
};

class module : public tidy::ClangTidyModule {
public:
  void addCheckFactories(tidy::ClangTidyCheckFactories& checks) override {
    checks.registerCheck<mutation_sites>("libpool-mutation-sites");
  }
};

const tidy::ClangTidyModuleRegistry::Add<module> added{"libpool_mutation", ""};

} // namespace
