export { MediaFile } from './entities.ts'
export { createImageReader } from './read-image.ts'
export { mediaPages } from './pages.ts'
