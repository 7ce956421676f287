export { createEnrollments, type Enrollments, type EnrollmentStart, type RunningEnrollment } from './client.ts'
