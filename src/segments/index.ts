export { findSegmentProblem } from './check-segments.ts'
export {
  type Comparison,
  type Compared,
  type Condition,
  type ConditionPart,
  type EventFilter,
  eventsMentionedBy,
  listsRequiredBy,
  type ResolvedCondition,
} from './condition.ts'
export { type ConditionContext, conditionSql, type JsonSource } from './condition-sql.ts'
export type { ComparedValue } from './compared-values.ts'
export { contactMatches, type Evaluation, explainMatches, matchesOf } from './contact-matches.ts'
export { Segment } from './entities.ts'
export { SEGMENT_NOT_FOUND } from './errors.ts'
export {
  type ConditionSource,
  readCondition,
  readEventFilter,
  type ReadOptions,
  type ReadResult,
} from './read-condition.ts'
export { resolveAllSegments, resolveSegments, segmentsIn } from './resolve-segments.ts'
export { conditionResponse } from './responses.ts'
export { assertWorkspace, createSegment, deleteSegment, listSegments } from './segments.ts'
