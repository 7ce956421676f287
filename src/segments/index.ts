export { assertWorkspace, createSegment, deleteSegment, listSegments } from './segments.ts'
