/** Script of the process that converts images. */
import { runJobs } from '../platform/run-jobs.ts'
import { convertImage, type ImageJob } from './convert-image.ts'

runJobs((job: ImageJob) => convertImage(job))
