export {
  ACTIVITIES,
  COMPARISONS,
  type Condition,
  CONDITION_FIELDS,
  listsRequiredBy,
  readCondition,
} from './condition.ts'
export { Segment } from './entities.ts'
export { conditionSql } from './sql.ts'
