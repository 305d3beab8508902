// The lines that transactions print. A launch keeps a record of each; the host formats them after the launch.
//
// The buffer holds the number of words that records asked for, the number of lines that found no room, and the records. A
// record is a word that names the line, and the words of its values. The first addition gives each record a place of its own.
// It is relaxed: the buffer is read after the end of the launch, which orders everything. A record that does not fit
// has moved the first number past the end, so no later record fits either, and the records in the buffer follow each other.

// Names a line and returns the place for its values, or null where there is no room.
STM_DEVICE u64* stm_line(u64* lines, u64 name, u64 values) {
  u64 at = stm_fetch_add_relaxed(lines, values + 1);
  if (at + values + 1 > STM_LINE_ROOM) {
    stm_add_relaxed(lines + 1, 1);
    return nullptr;
  }
  u64* record = lines + STM_LINE_HEAD + at;
  record[0] = name;
  return record + 1;
}

#define STM_LINE(location, values) stm_line(tx.lines, facts::LINES + (location), values)
