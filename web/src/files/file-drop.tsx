import { useState } from 'preact/hooks';
import { ErrorNote } from '../page/notes.js';
import { FileError } from './file-error.js';
import { type FileContent, readFile } from './read-file.js';

type Files = FileList | null | undefined;

/** Reads the one file that was chosen or dropped. @throws FileError */
export async function readOne(files: Files): Promise<FileContent | null> {
  const [file, ...others] = files ?? [];
  if (others.length > 0)
    throw new FileError(
      `${others.length + 1} files were dropped: drop one at a time, and the parts of a shapefile in one .zip.`,
    );
  return file === undefined ? null : readFile(file);
}

/** Takes a file by choice or drop. */
export function FileDrop({ error, onFiles }: { error: Error | null; onFiles: (files: Files) => void }) {
  const [isOver, setOver] = useState(false);
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping needs a pointer; the field inside does not */}
      <div
        class={`drop ${isOver ? 'is-over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          onFiles(event.dataTransfer?.files);
        }}
      >
        <label for="file">GeoJSON, CSV, zipped shapefile or project: drop it here, or</label>
        <input
          id="file"
          type="file"
          accept=".geojson,.json,.csv,.zip"
          onChange={({ currentTarget }) => {
            onFiles(currentTarget.files);
            currentTarget.value = '';
          }}
        />
      </div>
      {error !== null && <ErrorNote error={error} />}
    </>
  );
}
