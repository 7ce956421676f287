export { ACTIVITIES, COMPARISONS, type Condition, CONDITION_FIELDS, readCondition } from './condition.ts'
export { Segment } from './entities.ts'
export { conditionSql } from './sql.ts'
