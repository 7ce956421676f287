export { findSegmentProblem, problemAmong } from './check-segments.ts'
export { type Condition, eventsMentionedBy, listsRequiredBy, type ResolvedCondition } from './condition.ts'
export { type ConditionContext, conditionSql } from './condition-sql.ts'
export type { ComparedValue } from './compared-values.ts'
export { checkEachPart, contactMatches, explainMatches, matchesOf } from './contact-matches.ts'
export { Segment } from './entities.ts'
export { conditionHolds, type ContactFacts, type EventFact, instantsOfChange, type MessageFact } from './evaluate.ts'
export { SEGMENT_NOT_FOUND } from './errors.ts'
export { type ConditionSource, readCondition } from './read-condition.ts'
export { resolveAllSegments, resolverOf, resolveSegments, segmentResolver } from './resolve-segments.ts'
export { condition as conditionInput, segmentSchema } from './schemas.ts'
export {
  assertWorkspace,
  conditionOf,
  countNow,
  createSegment,
  deleteSegment,
  findSegment,
  listSegments,
} from './segments.ts'
