export { createDeliverAtOnce, deliver } from './deliver.ts'
export { RECORDS_AT_A_TIME } from './enroll-contact.ts'
export { activePage, findEnrollment, finishEnrollment, recordEnrollment, rememberHeard } from './queries.ts'
export { settleActive } from './settle-active.ts'
