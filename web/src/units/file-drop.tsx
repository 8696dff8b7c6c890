import { useState } from 'preact/hooks';
import { ErrorNote } from '../page/notes.js';
import { type FileContent, readFile } from './read-file.js';

/** Takes a file by choice or drop. */
export function FileDrop({ onContent }: { onContent: (content: FileContent) => void }) {
  const [isOver, setOver] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const take = (file: File | undefined) => {
    if (file === undefined) return;
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
          take(event.dataTransfer?.files[0]);
        }}
      >
        <label for="file">GeoJSON, CSV or zipped shapefile: drop it here, or</label>
        <input
          id="file"
          type="file"
          accept=".geojson,.json,.csv,.zip"
          onChange={({ currentTarget }) => {
            take(currentTarget.files?.[0]);
            currentTarget.value = '';
          }}
        />
      </div>
      {error !== null && <ErrorNote error={error} />}
    </>
  );
}
