export { List, ListAsk, ListMember, ListOptOut, ListRequest, ListTally } from './entities.ts'
export { getList } from './lists.ts'
export {
  MAX_LISTS_OF_CONTACT,
  type MembershipPlan,
  type MembershipState,
  planMembership,
  planPreferences,
} from './membership.ts'
export {
  addMembers,
  dropRequests,
  findRequest,
  forgetAsks,
  loadMemberships,
  lockListsToJoin,
  optOutOfLists,
  optOutTimes,
  removeMembers,
  someContactsOf,
  writeRequests,
} from './membership-queries.ts'
export { deleteListRow, isListenedTo, knownLists, lockList, sayGoing } from './queries.ts'
export { ASKED_OFTEN, HAS_LEFT_LIST, LIST_IN_USE, LIST_NOT_FOUND, NOT_IN_LIST } from './refusals.ts'
export { countConfirmationEmails } from './confirmation-queries.ts'
