#pragma once

#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace libpool::detail {

/// Placeholder for a type that is not named by the user or cannot be
/// determined.
struct deduced {};

/// Types of the parameters and of the result of a function with one signature,
/// which is neither generic nor overloaded.
template <class Function>
struct signature;

template <class R, class... Args>
struct signature<std::function<R(Args...)>> {
  using result = R;
  /// Type of the parameter at index `I`; `deduced` if the function has fewer
  /// parameters.
  template <std::size_t I>
  using parameter =
    std::tuple_element_t
    < I<sizeof...(Args) ? I : sizeof...(Args), std::tuple<Args..., deduced>>;
  static constexpr std::size_t arguments = sizeof...(Args);
};

struct no_signature {
  using result = deduced;
  template <std::size_t>
  using parameter = deduced;
  static constexpr std::size_t arguments = static_cast<std::size_t>(-1);
};

template <class F, class = void>
struct signature_of : no_signature {};

template <class F>
struct signature_of<F, std::void_t<decltype(std::function{std::declval<F>()})>>
  : signature<decltype(std::function{std::declval<F>()})> {};

template <class F, std::size_t I>
using parameter_of = typename signature_of<F>::template parameter<I>;

} // namespace libpool::detail
