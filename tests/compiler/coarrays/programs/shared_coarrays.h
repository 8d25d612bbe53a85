/* Coarrays that two files of a program share. */
struct particle {
    double position[3];
    int id;
};
extern int table[4]:[*];
extern struct particle particles[10]:[*];
extern double scalar:[*], unsized[]:[*];
extern const char letters[]:[*];
void elsewhere(void);
int count(void);
