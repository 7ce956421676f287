export { List, ListConfirmationEmail, ListMember, ListOptOut, ListRequest, ListTally } from './entities.ts'
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
  deleteOldConfirmationEmails,
  loadMemberships,
  lockListsToJoin,
  optOutOfLists,
  optOutTimes,
  removeMembers,
  someContactsOf,
  writeRequests,
} from './membership-queries.ts'
export { deleteListRow, isListenedTo, knownLists, lockList, setDeleting } from './queries.ts'
export { CONFIRMATION_LIMIT_REACHED, CONTACT_LEFT_LIST, LIST_IN_USE, LIST_NOT_FOUND, NOT_IN_LIST } from './errors.ts'
export { countConfirmationEmails } from './confirmation-queries.ts'
