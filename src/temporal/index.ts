export {
  createEnrollments,
  type Enrollments,
  type EnrollmentStart,
  type ListedEnrollment,
  type RunningEnrollment,
} from './client.ts'
export { isTemporalUnavailable } from './errors.ts'
