export {
  openReturnPath,
  openUnsubscribeAddress,
  type MessageIdBeginning,
  returnPathOf,
  withoutReturnPaths,
} from './return-path.ts'
export { createLinks, type LinkOf, type Links, openLink, VISIT_PATHS, withoutLinks } from './links.ts'
export { MAX_URL_BYTES, openVisit, type VisitOf } from './visit-links.ts'
