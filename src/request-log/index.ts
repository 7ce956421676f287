export { LoggedRequest } from './entities.ts'
export { deleteOldRequests } from './queries.ts'
export { createRequestLog } from './record-requests.ts'
