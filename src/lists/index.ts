export { List, ListConfirmationEmail, ListMember, ListOptOut, ListRequest, ListCounter } from './entities.ts'
export { getList } from './lists.ts'
export { listSchema } from './schemas.ts'
export {
  MAX_LISTS_OF_CONTACT,
  type MembershipPlan,
  type MembershipState,
  planMembership,
  planPreferences,
} from './membership.ts'
export {
  addMembers,
  deleteRequests,
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
export { deleteListRow, isListInUse, findExistingLists, lockList, setDeleting } from './queries.ts'
export { CONFIRMATION_LIMIT_REACHED, CONTACT_LEFT_LIST, LIST_IN_USE, LIST_NOT_FOUND, NOT_IN_LIST } from './errors.ts'
export { countConfirmationEmails } from './confirmation-queries.ts'
