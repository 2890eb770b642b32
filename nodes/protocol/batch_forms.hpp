#pragma once

#include "libpool/nodes/protocol/batches.hpp"

#include <cstdint>

namespace libpool {

/// Format of a message: its first byte, and its members in the order in which
/// they are written.
template <std::uint8_t Kind, auto... Members>
struct batch_form {
  static constexpr std::uint8_t kind = Kind;
};

/// Format of a part of a message.
template <auto... Members>
using part_form = batch_form<0, Members...>;

/// Formats of all messages. The first byte is the number of the kind of
/// message. Programs of different versions exchange these numbers, so a number
/// is never used for another kind. The session is written once for each batch,
/// after the first byte. Contents follow the members.
template <class Message>
struct form_of;

// Formats that never change, so that programs of all versions can tell each
// other that they have no common version. Later versions may append members.

template <>
struct form_of<hello>
  : batch_form<1, &hello::who, &hello::attempt, &hello::turn> {};
template <>
struct form_of<protocol_range>
  : part_form<&protocol_range::oldest, &protocol_range::newest> {};
template <>
struct form_of<introduction>
  : part_form<&introduction::speaks, &introduction::name, &introduction::labels,
              &introduction::held, &introduction::lost> {};
template <>
struct form_of<rejection> : batch_form<2> {};

// Formats of version 1 of the protocol.

template <>
struct form_of<welcome>
  : batch_form<3, &welcome::who, &welcome::attempt, &welcome::lease> {};
template <>
struct form_of<ready> : batch_form<4> {};
template <>
struct form_of<beat> : batch_form<5, &beat::sent, &beat::deaf> {};
template <>
struct form_of<bye> : batch_form<6> {};
template <>
struct form_of<tasks_sent>
  : batch_form<7, &tasks_sent::tasks, &tasks_sent::takings,
               &tasks_sent::settled, &tasks_sent::facts> {};
template <>
struct form_of<sent_facts>
  : part_form<&sent_facts::number, &sent_facts::attempt, &sent_facts::left,
              &sent_facts::id, &sent_facts::trace> {};
template <>
struct form_of<tasks_done> : batch_form<8, &tasks_done::ends> {};
template <>
struct form_of<task_done> : part_form<&task_done::task, &task_done::how> {};
template <>
struct form_of<ask_back> : batch_form<9, &ask_back::max> {};
template <>
struct form_of<given_back>
  : batch_form<10, &given_back::was_asked, &given_back::tasks> {};
template <>
struct form_of<gone> : batch_form<11> {};
template <>
struct form_of<demand> : batch_form<12, &demand::window, &demand::slots,
                                    &demand::service, &demand::round_trip> {};
template <>
struct form_of<receipt> : batch_form<13, &receipt::bytes> {};
template <>
struct form_of<unread> : batch_form<14, &unread::task, &unread::why> {};
template <>
struct form_of<take_back_tasks> : batch_form<15, &take_back_tasks::tasks> {};
template <>
struct form_of<resend> : batch_form<16> {};
template <>
struct form_of<call> : batch_form<17> {};
template <>
struct form_of<cancel_tasks> : batch_form<18, &cancel_tasks::tasks> {};
template <>
struct form_of<ask_begun> : batch_form<19, &ask_begun::tasks> {};
template <>
struct form_of<begun> : batch_form<20, &begun::tasks> {};
template <>
struct form_of<begun_task> : part_form<&begun_task::task, &begun_task::ran> {};

} // namespace libpool
