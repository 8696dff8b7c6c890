import { useState } from 'preact/hooks';
import { ErrorNote } from '../page/notes.js';
import { FileError } from './file-error.js';
import { type FileContent, readFile } from './read-file.js';

/** Takes a file by choice or drop. */
export function FileDrop({ onContent }: { onContent: (content: FileContent) => void }) {
  const [isOver, setOver] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const take = (files: FileList | null | undefined) => {
    const [file, ...others] = files ?? [];
    if (file === undefined) return;
    if (others.length > 0) {
      setError(
        new FileError(
          `${others.length + 1} files were dropped: drop one at a time, and the parts of a shapefile in one .zip.`,
        ),
      );
      return;
    }
    setError(null);
    readFile(file).then(onContent).catch(setError);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a way for the pointer; the field in it is for all */}
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
          take(event.dataTransfer?.files);
        }}
      >
        <label for="file">GeoJSON, CSV or zipped shapefile: drop it here, or</label>
        <input
          id="file"
          type="file"
          accept=".geojson,.json,.csv,.zip"
          onChange={({ currentTarget }) => {
            take(currentTarget.files);
            currentTarget.value = '';
          }}
        />
      </div>
      {error !== null && <ErrorNote error={error} />}
    </>
  );
}
