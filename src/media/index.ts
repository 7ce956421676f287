export { MediaFile } from './entities.ts'
export { mediaPages } from './pages.ts'
